/**
 * Finds elements of the screen as a user does: by role, label and text. A locator is evaluated when
 * it is used, and waits until its element exists. The methods have the names of Playwright's
 * methods, so that component tests and browser tests look alike. The queries come from Testing
 * Library.
 */
import { act, fireEvent, getConfig, queries } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { failWaits, findWaitFailure } from "../time/wait-until.ts";
import { openPopover } from "./computed-style.ts";
import { watchDocument } from "./window.ts";

/** Text to match. A string matches if it is part of the text, ignoring case. */
export type TextPattern = string | RegExp;

export interface TextOptions {
  /** Whether a string must match the whole text, including case. */
  readonly exact?: boolean;
}

export interface RoleOptions extends TextOptions {
  readonly name?: TextPattern;
  readonly level?: number;
  readonly checked?: boolean;
  readonly selected?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
}

export interface FilterOptions {
  readonly hasText?: TextPattern;
  readonly hasNotText?: TextPattern;
  /** Locator of an element that the filtered element must contain. */
  readonly has?: Locator;
}

const squash = (text: string) => text.replaceAll(/\s+/g, " ").trim();

function matches(text: string, pattern: TextPattern, exact = false): boolean {
  const found = squash(text);
  if (pattern instanceof RegExp) return pattern.test(found);
  return exact
    ? found === squash(pattern)
    : found.toLowerCase().includes(squash(pattern).toLowerCase());
}

const hiddenParts = `[hidden], [style*='display: none'], [popover]:not([${openPopover}]), script, style`;

function isShown(element: Element): boolean {
  return element.closest(hiddenParts) === null;
}

/**
 * Lists the descendants whose text contains the pattern, outer elements first. The text of an
 * element contains the text of its descendants, so an element that does not match is skipped with
 * all its descendants.
 */
function listContaining(element: Element, pattern: string): HTMLElement[] {
  const parts = [...element.children].filter((part) => matches(part.textContent ?? "", pattern));
  return parts.flatMap((part) => [part as HTMLElement, ...listContaining(part, pattern)]);
}

/** Lists the innermost elements whose text matches the pattern. */
function listByText(root: HTMLElement, pattern: TextPattern, exact?: boolean): HTMLElement[] {
  const fits = (element: Element) => matches(element.textContent ?? "", pattern, exact);
  const elements =
    typeof pattern === "string"
      ? listContaining(root, pattern)
      : [...root.querySelectorAll<HTMLElement>("*")];
  const found = new Set<Element>(elements.filter(fits));
  return elements.filter(
    (one) => found.has(one) && ![...one.children].some((part) => found.has(part)) && isShown(one),
  );
}

/** Removes the asterisk that Mantine adds to the label of a required field. */
const withoutMark = (label: string) => label.replace(/ ?\*$/, "");

function findControl(label: HTMLElement): Element | null {
  const { htmlFor } = label as HTMLLabelElement;
  const controls = "input, textarea, select, button, output, meter, progress";
  return htmlFor ? document.getElementById(htmlFor) : label.querySelector(controls);
}

const readLabelledBy = (element: Element) =>
  (element.getAttribute("aria-labelledby") ?? "")
    .split(/\s+/)
    .map((id) => document.getElementById(id)?.textContent ?? "")
    .join(" ");

/**
 * Lists the controls whose label matches. Only labels are searched, because Testing Library would
 * search the labels of every element, which is slower.
 */
function listByLabel(root: HTMLElement, pattern: TextPattern, exact?: boolean): HTMLElement[] {
  const fits = (label: string | null) =>
    label !== null && matches(withoutMark(squash(label)), pattern, exact);
  const found = [...root.querySelectorAll("label, [aria-label], [aria-labelledby]")].map((one) => {
    if (one.localName === "label") {
      const control = fits(one.textContent) ? findControl(one as HTMLElement) : null;
      return control !== null && root.contains(control) ? control : null;
    }
    return fits(one.getAttribute("aria-label")) || fits(readLabelledBy(one)) ? one : null;
  });
  return [...new Set(found)].filter((one): one is HTMLElement => one !== null);
}

function listByRole(root: HTMLElement, role: string, options: RoleOptions): HTMLElement[] {
  const { name, exact, ...states } = options;
  const fits = (text: string) => name === undefined || matches(text, name, exact);
  const named = name !== undefined && { name: fits };
  const found = queries.queryAllByRole(root, role, { ...states, ...named });
  // Password fields are added, because ARIA gives them no role, although a browser treats them like
  // text fields.
  if (role !== "textbox" || name === undefined) return found;
  const passwords = listByLabel(root, name, exact).filter((one) => one.matches("[type=password]"));
  return [...found, ...passwords];
}

const isDisabled = (element: Element) =>
  element.matches(":disabled, [aria-disabled=true], [data-disabled=true], fieldset:disabled *");

const settableTypes = new Set(["date", "time", "datetime-local", "number", "color", "range"]);
const shownCharacters = 3_000;

/** Errors that the application has reported in the open screen. */
export const complaints: string[] = [];

/**
 * Makes the test fail with the first error of a component, and not with the timeout that follows
 * from the error.
 */
export function reportBug(error: unknown): void {
  if (findWaitFailure() === null) failWaits(new Error("A component failed", { cause: error }));
}

/** Throws the error that `reportBug` has received since the last call, if there is one. */
export function throwReportedBug(): void {
  const bug = findWaitFailure();
  failWaits(null);
  if (bug !== null) throw bug;
}

function describeScreen(): string {
  const parts = [...document.querySelectorAll("#content, [role=dialog], [role=status]")];
  const shown = parts.length > 0 ? parts : [document.body];
  const text = shown.map((part) => squash(part.textContent ?? "")).join("\n");
  const lines = [`${location.pathname}${location.search}: ${text}`, ...complaints];
  return lines.map((line) => line.slice(0, shownCharacters)).join("\n");
}

/**
 * Polling interval. The value of a field can change without a change of the document, which
 * watching the document would miss.
 */
const pollIntervalMs = 50;

interface Source {
  readonly user: UserEvent;
  readonly words: string;
  readonly list: () => HTMLElement[];
}

export class Locator {
  readonly #user: UserEvent;
  readonly #words: string;
  readonly #list: () => HTMLElement[];

  constructor({ user, words, list }: Source) {
    this.#user = user;
    this.#words = words;
    this.#list = list;
  }

  #within(words: string, list: (root: HTMLElement) => HTMLElement[]): Locator {
    const all = () => [...new Set(this.#list().flatMap(list))];
    return new Locator({ user: this.#user, words: `${this.#words} ${words}`.trim(), list: all });
  }

  #among(words: string, choose: (list: HTMLElement[]) => HTMLElement[]): Locator {
    const list = () => choose(this.#list());
    return new Locator({ user: this.#user, words: `${this.#words} ${words}`, list });
  }

  getByRole(role: string, options: RoleOptions = {}): Locator {
    const words = `${role} ${String(options.name ?? "")}`;
    return this.#within(words, (root) => listByRole(root, role, options));
  }

  getByText(pattern: TextPattern, { exact }: TextOptions = {}): Locator {
    return this.#within(`text ${pattern}`, (root) => listByText(root, pattern, exact));
  }

  getByLabel(pattern: TextPattern, { exact }: TextOptions = {}): Locator {
    return this.#within(`label ${pattern}`, (root) => listByLabel(root, pattern, exact));
  }

  getByPlaceholder(pattern: TextPattern): Locator {
    const fits = (text: string) => matches(text, pattern);
    const list = (root: HTMLElement) => queries.queryAllByPlaceholderText(root, fits);
    return this.#within(`placeholder ${pattern}`, list);
  }

  /**
   * Finds elements by a selector, for elements without a role or text, such as table cells or
   * frames. Tests must not select by class.
   */
  locator(selector: string): Locator {
    const list = (root: HTMLElement) => [...root.querySelectorAll<HTMLElement>(selector)];
    return this.#within(selector, list);
  }

  filter({ hasText, hasNotText, has }: FilterOptions): Locator {
    const inner = () => has?.elements() ?? [];
    const fits = (element: HTMLElement) => {
      const text = element.textContent ?? "";
      if (hasText !== undefined && !matches(text, hasText)) return false;
      if (hasNotText !== undefined && matches(text, hasNotText)) return false;
      return has === undefined || inner().some((one) => element.contains(one));
    };
    return this.#among(`with ${hasText ?? hasNotText ?? "a part"}`, (list) => list.filter(fits));
  }

  /** Restricts this locator to elements that the other locator finds too. */
  and(other: Locator): Locator {
    return this.#among("and", (list) => list.filter((one) => other.elements().includes(one)));
  }

  nth(index: number): Locator {
    return this.#among(`number ${index}`, (list) => list.slice(index).slice(0, 1));
  }

  first(): Locator {
    return this.nth(0);
  }

  last(): Locator {
    return this.#among("last", (list) => list.slice(-1));
  }

  /** Returns the elements that match at this time, without waiting. */
  elements(): readonly HTMLElement[] {
    return this.#list();
  }

  /** Waits until exactly one element matches, and returns it. */
  async element(): Promise<HTMLElement> {
    return this.#settle(([element, ...others]) => {
      return element !== undefined && others.length === 0 ? element : null;
    });
  }

  #describeTimeout(): Error {
    const states = this.#list().map((element) => (isDisabled(element) ? "disabled" : "enabled"));
    const found = states.length === 0 ? "no element" : `${states.length} (${states.join(", ")})`;
    return new Error(`${this.#words}: ${found}\n${describeScreen()}`);
  }

  /** Evaluates `read` after each change of the document, until the result is not `null`. */
  #settle<Result>(read: (list: HTMLElement[]) => Result | null): Promise<Result> {
    const { asyncUtilTimeout, asyncWrapper } = getConfig();
    const wait = () =>
      new Promise<Result>((resolve, reject) => {
        const stops: (() => void)[] = [];
        const settle = (finish: () => void) => {
          for (const stop of stops.splice(0)) stop();
          finish();
        };
        const attempt = () => {
          try {
            const failure = findWaitFailure();
            if (failure !== null) throw failure;
            const result = read(this.#list());
            if (result !== null) settle(() => resolve(result));
          } catch (error) {
            // The error rejects the promise. If it were thrown here, it would end the process and
            // leave timers running.
            settle(() => reject(error));
          }
        };
        const fail = () => settle(() => reject(this.#describeTimeout()));
        const interval = setInterval(attempt, pollIntervalMs);
        const timeout = setTimeout(fail, asyncUtilTimeout);
        const stopWatching = watchDocument(attempt);
        stops.push(
          stopWatching,
          () => clearInterval(interval),
          () => clearTimeout(timeout),
        );
        attempt();
      });
    return asyncWrapper(wait);
  }

  async #usable(): Promise<HTMLElement> {
    return this.#settle(([element, ...others]) => {
      const isUsable = element !== undefined && others.length === 0 && !isDisabled(element);
      return isUsable ? element : null;
    });
  }

  /** Waits until an element exists, or, for the state `hidden`, until no element exists. */
  async waitFor({ state = "visible" }: { readonly state?: "visible" | "hidden" } = {}) {
    await this.#settle(({ length }) => (length > 0 === (state === "visible") ? true : null));
  }

  async click(): Promise<void> {
    await this.#user.click(await this.#usable());
  }

  async hover(): Promise<void> {
    await this.#user.hover(await this.element());
  }

  async focus(): Promise<void> {
    (await this.#usable()).focus();
  }

  /** Replaces the text of a field in one step, like pasting. */
  async fill(text: string): Promise<void> {
    const field = (await this.#usable()) as HTMLInputElement;
    if (settableTypes.has(field.type)) {
      fireEvent.change(field, { target: { value: text } });
      return;
    }
    if (text === "") {
      await this.#user.clear(field);
      return;
    }
    act(() => {
      field.focus();
      field.select();
    });
    await this.#user.paste(text);
  }

  /** Focuses the element and presses keys, such as `{Enter}`. */
  async press(keys: string): Promise<void> {
    (await this.#usable()).focus();
    await this.#user.keyboard(keys);
  }

  async check(): Promise<void> {
    const box = (await this.#usable()) as HTMLInputElement;
    if (!box.checked) await this.#user.click(box);
  }

  async uncheck(): Promise<void> {
    const box = (await this.#usable()) as HTMLInputElement;
    if (box.checked) await this.#user.click(box);
  }

  /** Selects an option of a `select` by its text or value. */
  async selectOption(option: string): Promise<void> {
    const list = await this.#usable();
    await this.getByRole("option", { name: option, exact: true })
      .or(() => [...list.querySelectorAll<HTMLElement>(`option[value="${option}"]`)])
      .waitFor();
    await this.#user.selectOptions(list, option);
  }

  /** Adds the elements that `others` returns to the elements of this locator. */
  or(others: () => HTMLElement[]): Locator {
    return this.#among("or others", (list) => [...list, ...others()]);
  }

  async upload(...files: File[]): Promise<void> {
    await this.#user.upload(await this.#usable(), files);
  }

  async inputValue(): Promise<string> {
    return ((await this.element()) as HTMLInputElement).value;
  }

  async isChecked(): Promise<boolean> {
    return ((await this.element()) as HTMLInputElement).checked;
  }

  async isDisabled(): Promise<boolean> {
    return isDisabled(await this.element());
  }

  async textContent(): Promise<string> {
    return squash((await this.element()).textContent ?? "");
  }

  async getAttribute(name: string): Promise<string | null> {
    return (await this.element()).getAttribute(name);
  }

  count(): number {
    return this.#list().length;
  }

  allTextContents(): string[] {
    return this.#list().map((element) => squash(element.textContent ?? ""));
  }
}
