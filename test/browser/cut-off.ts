import type { Page } from "playwright-core";

/**
 * Returns the elements that stick out of the page, or whose content has to be scrolled sideways. Tables with more
 * than four columns may scroll on small screens, because their columns cannot be narrower than their words.
 */
export function findCutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isSmall = innerWidth < 600;
    const found: string[] = [];
    for (const element of document.querySelectorAll(".VPContent *")) {
      const { width, right, left } = element.getBoundingClientRect();
      const isIgnored = element.closest("svg, .visually-hidden, .copy, .header-anchor") !== null;
      const isWide = isSmall && element.closest("table")?.querySelector("th:nth-child(5)") != null;
      if (width === 0 || isIgnored || isWide) continue;
      const scrolls = /auto|scroll/.test(getComputedStyle(element).overflowX);
      const isOutside = right > innerWidth + 1 || left < -1;
      if (isOutside || (scrolls && element.scrollWidth > element.clientWidth + 1))
        found.push(`${element.tagName} ${element.className}: ${element.textContent.trim().slice(0, 60)}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page has to be scrolled sideways");
    return found;
  });
}
