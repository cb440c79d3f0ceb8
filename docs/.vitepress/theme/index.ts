import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { Diagram } from "./diagram.js";
import "./style.css";

/** The default theme, with diagrams. */
export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component("Diagram", Diagram);
  },
} satisfies Theme;
