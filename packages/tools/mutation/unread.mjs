/**
 * A test file that cannot even be read has no tests that could fail, and a mutant that does this to it would pass for one
 * that survived. So such a file is given a test that has failed.
 */
export default class Unread {
  onFinished(files = []) {
    for (const file of files) {
      if (file.result?.state !== "fail" || file.tasks.length > 0) continue
      const result = { state: "fail", errors: file.result.errors ?? [] }
      file.tasks.push({ type: "test", name: "can be read", mode: "run", meta: {}, file, suite: file, result })
    }
  }
}
