// The modules of `venue doctor`, loaded when it runs: one import, one chunk.
import * as Doctor from "@effect-venue/history/Doctor"
import * as Credentials from "@effect-venue/signing/Credentials"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export { render } from "@effect-venue/history/Doctor"
export { print } from "@effect-venue/transport/Recording"
export * as venue from "./venue.js"

export const examine = (
  credentials: Credentials.Credentials.Shape,
  { days, onProgress }: { readonly days: number; readonly onProgress: NonNullable<Doctor.Options["onProgress"]> }
): Effect.Effect<Doctor.Examination, never, HttpClient.HttpClient> =>
  Effect.provideService(
    Doctor.examine({ window: Duration.days(days), onProgress }),
    Credentials.Credentials,
    credentials
  )
