import * as FastCheck from "effect/FastCheck"
import { globalValue } from "effect/GlobalValue"
import { vi } from "vitest"

// Some mutants act while a module is read. Reading our modules anew for every test file is all that has to be isolated here.
vi.resetModules()

// Effect keeps the default of a `Context.Reference` once for all that is read: it would be that of an earlier file of tests.
globalValue("effect/Context/defaultValueCache", () => new Map()).clear()

// One counterexample is enough, the smallest is not looked for; and what ten examples do not find counts as not found.
FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), numRuns: 10, endOnFailure: true })
