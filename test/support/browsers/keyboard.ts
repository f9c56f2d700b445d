/** Walks through a screen like a user without a pointer. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

const maxTabs = 150;

/** Script that describes the focused element, and whether its focus is visible. */
const readFocus = `(() => {
  const one = document.activeElement;
  const marked = [one, one.closest("label"), one.nextElementSibling, one.parentElement];
  const isMarked = (part) => {
    if (!part) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  };
  // Inside a date field, the browser marks the focused part, so the element counts as visible.
  const isPart = one === window.lastFocused;
  window.lastFocused = one;
  return { words: one.outerHTML.slice(0, 200), isVisible: isPart || marked.some(isMarked) };
})()`;

/**
 * Presses Tab until the element has the focus. Fails if the focus is invisible on any element
 * before it.
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let count = 0; count < maxTabs; count += 1) {
    await page.keyboard.press("Tab");
    const { words, isVisible } = await page.evaluate<{ words: string; isVisible: boolean }>(
      readFocus,
    );
    const isReached = await target.evaluate((one) => one === one.ownerDocument.activeElement);
    if (isReached || !words.startsWith("<body")) assert.ok(isVisible, `invisible focus: ${words}`);
    if (isReached) return;
  }
  assert.fail(`not reached with ${maxTabs} tabs: ${target}`);
}

/** Moves the focus to a control with the Tab key, and presses a key. */
export async function pressKeyIn(page: Page, target: Locator, key: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}
