import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, watch } from "vue";

/** The labels of Mermaid's dark theme have too little contrast. */
const DARK = { edgeLabelBackground: "#1b1b1f", tertiaryTextColor: "#e0e0e6" };

/** Pixels between states. With less, the label of a state that leads to itself covers the label of another arrow. */
const RANK_SPACING = 120;

/** Draws a Mermaid diagram in the colors of the page. Loads Mermaid only on pages that have a diagram. */
export const Diagram = defineComponent({
  props: { source: { type: String, required: true }, name: { type: String, required: true } },
  setup: ({ source, name }) => {
    const { isDark } = useData();
    const drawing = ref("");
    const draw = async (): Promise<void> => {
      drawing.value = await toSvg(name, decodeURIComponent(source), isDark.value);
    };
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      h("div", { class: "diagram", role: "img", "aria-label": "Diagram", innerHTML: drawing.value });
  },
});

async function toSvg(name: string, source: string, isDark: boolean): Promise<string> {
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize({
    startOnLoad: false,
    theme: isDark ? "dark" : "neutral",
    themeVariables: isDark ? DARK : {},
    state: { rankSpacing: RANK_SPACING },
  });
  return (await mermaid.render(name, source)).svg;
}
