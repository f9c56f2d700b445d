/**
 * Replaces `getComputedStyle` of happy-dom, which parses and clones every style sheet for each
 * element and took half of a test's time. The tests have no style sheets, so an element has only
 * the declarations of its `style` attribute and the default display of its tag.
 */
import type { Window } from "happy-dom";

export type TestElement = InstanceType<Window["HTMLElement"]>;

/** Attribute that marks an open popover. */
export const openPopover = "data-popover-open";

const inherited = new Set(["visibility", "pointer-events"]);
const initial: Readonly<Record<string, string>> = { visibility: "visible" };

const toKebabCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function isHidden(element: TestElement): boolean {
  if (element.hasAttribute("hidden")) return true;
  if (element.hasAttribute("popover") && !element.hasAttribute(openPopover)) return true;
  const parent = element.parentElement;
  const isClosed = parent?.localName === "details" && !parent.hasAttribute("open");
  return isClosed && element.localName !== "summary";
}

export function replaceComputedStyle(window: Window): void {
  const compute = window.getComputedStyle.bind(window);
  const displays = new Map<string, string>();

  /** Returns the default display of a tag. happy-dom computes it only one time per tag. */
  function getTagDisplay(tag: string): string {
    const known = displays.get(tag);
    if (known !== undefined) return known;
    const sample = window.document.createElement(tag);
    window.document.documentElement.append(sample);
    const { display } = compute(sample);
    sample.remove();
    displays.set(tag, display);
    return display;
  }

  function getDisplay(element: TestElement): string {
    if (isHidden(element)) return "none";
    const isOpenDialog = element.localName === "dialog" && element.hasAttribute("open");
    return isOpenDialog ? "block" : getTagDisplay(element.localName);
  }

  function getValue(element: TestElement, property: string): string {
    const own = element.hasAttribute("style") ? element.style.getPropertyValue(property) : "";
    if (own !== "" && own !== "inherit") return own;
    if (property === "display") return getDisplay(element);
    const parent = inherited.has(property) ? (element.parentElement as TestElement | null) : null;
    return parent === null ? (initial[property] ?? "") : getValue(parent, property);
  }

  window.getComputedStyle = ((element: TestElement) => {
    const getPropertyValue = (property: string) => getValue(element, property);
    return new Proxy({} as typeof element.style, {
      get: (_, name) => {
        if (name === "getPropertyValue") return getPropertyValue;
        return typeof name === "string" ? getPropertyValue(toKebabCase(name)) : undefined;
      },
    });
  }) as typeof window.getComputedStyle;
}
