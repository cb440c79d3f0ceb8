import { defineComponent, h, onMounted, onUnmounted, type PropType, ref, type VNode } from "vue";

interface Tab {
  /** Also the name of the slot with its panel, and the anchor that leads to it. */
  readonly id: string;
  readonly title: string;
}

/** Keys that move from a tab to another one, by how many (WAI-ARIA Authoring Practices, tabs pattern). */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -Infinity,
  End: Infinity,
};

/** Shows one of several panels. An anchor in the address chooses it. */
export const Tabs = defineComponent({
  props: { tabs: { type: Array as PropType<readonly Tab[]>, required: true } },
  setup: ({ tabs }, { slots }) => {
    const chosen = ref(tabs[0]?.id);
    const labels = new Map<string, HTMLElement>();

    const followAnchor = (): void => {
      const id = location.hash.slice(1);
      if (!labels.has(id)) return;
      chosen.value = id;
      labels.get(id)?.scrollIntoView({ block: "center" });
    };
    onMounted(() => {
      followAnchor();
      addEventListener("hashchange", followAnchor);
    });
    onUnmounted(() => removeEventListener("hashchange", followAnchor));

    const choose = (id: string): void => {
      chosen.value = id;
      history.replaceState(history.state, "", `#${id}`);
    };
    const move = (event: KeyboardEvent, from: number): void => {
      const by = MOVES[event.key];
      if (by === undefined) return;
      event.preventDefault();
      const to = Number.isFinite(by) ? (from + by + tabs.length) % tabs.length : by < 0 ? 0 : tabs.length - 1;
      const { id } = tabs[to] ?? { id: "" };
      choose(id);
      labels.get(id)?.focus();
    };

    const toLabel = ({ id, title }: Tab, index: number): VNode =>
      h(
        "button",
        {
          ref: (element) => void labels.set(id, element as HTMLElement),
          type: "button",
          role: "tab",
          id: `tab-${id}`,
          "aria-selected": id === chosen.value,
          "aria-controls": id,
          tabindex: id === chosen.value ? 0 : -1,
          onClick: () => choose(id),
          onKeydown: (event: KeyboardEvent) => move(event, index),
        },
        title,
      );
    const toPanel = ({ id }: Tab): VNode =>
      h(
        "div",
        { id, role: "tabpanel", "aria-labelledby": `tab-${id}`, hidden: id !== chosen.value },
        slots[id]?.(),
      );
    return () =>
      h("div", { class: "tabs" }, [
        h("div", { class: "tab-list", role: "tablist" }, tabs.map(toLabel)),
        ...tabs.map(toPanel),
      ]);
  },
});
