export default {
  build: {
    ssr: "main.ts",
    outDir: "out",
    target: "node20",
    rollupOptions: { output: { entryFileNames: "main.mjs" } }
  },
  ssr: { noExternal: true }
}
