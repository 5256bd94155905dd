import { project } from "../vitest.project.js"

export default project("cli", { globalSetup: ["test/utils/bundle.ts"] })
