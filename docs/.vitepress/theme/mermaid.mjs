import { useData } from "vitepress"
import { computed, defineComponent, h, onMounted, ref, watch } from "vue"

let drawn = 0

/** A drawing from its text, which stands there until it is drawn, and where no script runs. */
export const Mermaid = defineComponent({
  props: { code: { type: String, required: true } },
  setup: (props) => {
    const { isDark } = useData()
    const text = computed(() => decodeURIComponent(props.code))
    const svg = ref("")
    const draw = async () => {
      const { default: mermaid } = await import("mermaid")
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: isDark.value ? "dark" : "neutral",
        // As large as its text wants; style.css bounds it.
        flowchart: { useMaxWidth: false },
        sequence: { useMaxWidth: false }
      })
      svg.value = (await mermaid.render(`drawing-${drawn++}`, text.value)).svg
    }
    onMounted(draw)
    watch(isDark, draw)
    return () =>
      svg.value === ""
        ? h("pre", { class: "drawing" }, text.value)
        : // Where it scrolls it does so for the keyboard too.
          h("div", { class: "drawing", role: "img", tabindex: "0", "aria-label": text.value, innerHTML: svg.value })
  }
})
