import style from "./page/console.css?embedded";
import icon from "./page/icon.svg?embedded";
import page from "./page/index.html?embedded";
import script from "./page/main.ts?embedded";

export { icon, page, script, style };
