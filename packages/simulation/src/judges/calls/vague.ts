import type * as Journal from "../../world/Journal.js"
import type { Judge } from "../../world/Judge.js"

const hasEndedAs = (
  { of }: Journal.Journal,
  call: string,
  isBefore: (end: Journal.Of<"Ended">) => boolean,
  answers: ReadonlyArray<Journal.Of<"Ended">["answer"]>
): boolean => {
  const ended = new Set(
    of("Ended").flatMap((end) =>
      end.call === call && isBefore(end) && answers.includes(end.answer) ? [end.sending] : []
    )
  )
  return of("Sent").every((sent) => sent.call !== call || ended.has(sent.sending))
}

/** No write is reported as unknown whose sendings were all answered or never left, and none as interrupted if nothing was sent. */
export const vague: Judge = {
  rule: "Vague",
  find: (journal) => {
    if (journal.conditions.isClear !== true) return []
    // A client that sends twice can interrupt a sending in the step in which it leaves: the library has passed it on, and the network has not seen it.
    const isRacing = journal.conditions.isRacing === true
    const unknown = journal
      .of("Reported")
      .filter(
        ({ at, call, outcome }) =>
          outcome === "unknown" && !isRacing && hasEndedAs(journal, call, (end) => end.at <= at, ["unsent", "whole"])
      )
      .map(({ call, wish }) => ({
        call,
        detail: `${wish} is reported as unknown, and every sending proves its outcome`
      }))
    const abandoned = journal
      .of("Abandoned")
      .filter(({ at, call }) => hasEndedAs(journal, call, (end) => end.at < at, ["unsent"]))
      .map(({ call }) => ({ call, detail: "is reported as interrupted, and nothing has left" }))
    return [...unknown, ...abandoned]
  }
}
