import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import { Diagram } from "./diagram.js";
import { data as firstProgram } from "./first-program.data.js";
import { Tabs } from "./tabs.js";
import "./style.css";

/** The default theme, with diagrams, tabs, and a program and its 202 at the top of the home page. */
export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "home-hero-actions-after": () =>
        h("div", { class: "first-install vp-doc", innerHTML: firstProgram.install }),
      "home-hero-image": () => h("div", { class: "first-program vp-doc", innerHTML: firstProgram.program }),
    }),
  enhanceApp: ({ app }) => {
    app.component("Diagram", Diagram);
    app.component("Tabs", Tabs);
  },
} satisfies Theme;
