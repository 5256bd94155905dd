import * as Effect from "effect/Effect"

/**
 * Loads a module of this package when a handler runs. What parses the command line and prints help imports no more than it needs: the
 * sandbox, the client and the formats take longer to load than `venue --version` takes altogether.
 *
 * Only modules of this package: a dynamic import of another package from CommonJS would load its other form, a second copy of it.
 */
export const load: <Module>(module: () => Promise<Module>) => Effect.Effect<Module> = Effect.promise
