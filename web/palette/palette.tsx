import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { SearchIcon } from "../parts/icons.tsx";
import { Row } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { useSettled } from "../parts/use-typed-text.ts";
import type { Command } from "./commands.ts";
import styles from "./palette.module.css";
import { useCommands } from "./use-commands.ts";
import { words } from "./words.ts";

interface PaletteProps {
  /** Returns the text that was typed before the palette had loaded. */
  readonly takeEarlyText: () => string;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

const listId = "palette-results";
const optionId = (index: number) => `palette-option-${index}`;

interface OptionsProps {
  readonly commands: readonly Command[];
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly onRun: (command: Command) => void;
}

function Options({ commands, chosen, onChoose, onRun }: OptionsProps) {
  return commands.map((command, index) => (
    <div key={command.id} role="presentation">
      {command.section !== commands[index - 1]?.section && (
        <div className={`${styles.section} ${textStyles.hint}`} aria-hidden="true">
          {words.sections[command.section]}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the focused field handles keys */}
      <div
        id={optionId(index)}
        className={styles.option}
        role="option"
        tabIndex={-1}
        aria-selected={index === chosen}
        onPointerMove={() => onChoose(index)}
        onClick={() => onRun(command)}
      >
        <bdi className={styles.label}>{command.label}</bdi>
        {command.detail !== undefined && (
          <bdi className={`${styles.detail} ${textStyles.muted} ${textStyles.clip}`}>
            {command.detail}
          </bdi>
        )}
      </div>
    </div>
  ));
}

function moveChoice(key: string, chosen: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return (chosen + 1) % count;
  if (key === "ArrowUp") return (chosen + count - 1) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}

interface FieldProps {
  readonly text: string;
  readonly current: number;
  readonly isOpen: boolean;
  readonly onText: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onClose: () => void;
}

/** Search field. It keeps the focus, and `aria-activedescendant` refers to the selected result. */
function Field({ text, current, isOpen, onText, onKeyDown, onClose }: FieldProps) {
  return (
    <Row nowrap gap={3} className={styles.field}>
      <SearchIcon size={18} />
      <input
        type="text"
        role="combobox"
        aria-label={words.field}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={current >= 0 ? optionId(current) : undefined}
        placeholder={words.field}
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        value={text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" className={styles.close} onClick={onClose}>
        {words.close}
      </button>
    </Row>
  );
}

/** Announces the number of results to screen readers. */
function Counted({ count }: { readonly count: number }) {
  return <span className="unseen">{words.counted(count)}</span>;
}

function runCommand({ href, page, run }: Command, go: (href: string) => void): void {
  if (href !== undefined) go(href);
  if (page !== undefined) location.assign(page);
  run?.();
}

/** Dialog of the command palette. The native `dialog` element traps the focus. */
export function Palette({ takeEarlyText, onClose, onShortcuts }: PaletteProps) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [isEnterDue, setEnterDue] = useState(false);
  const { commands, isSearching, hasFailed } = useCommands(text, useSettled(text), onShortcuts);
  const current = Math.min(chosen, commands.length - 1);
  // A layout effect, so that no key is lost between the buffer and the field.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on opening
  useLayoutEffect(() => {
    dialog.current?.showModal();
    setText(takeEarlyText());
  }, []);
  useEffect(() => {
    document.getElementById(optionId(current))?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const search = (next: string) => {
    setText(next);
    setChosen(0);
    setEnterDue(false);
  };
  const run = (command: Command) => {
    if (command.fill !== undefined) return search(command.fill);
    dialog.current?.close();
    runCommand(command, (href) => router.history.push(href));
  };
  // While a search is running, Enter waits for its results, to select one of the new results.
  useEffect(() => {
    if (!isEnterDue || isSearching) return;
    setEnterDue(false);
    const command = commands[current];
    if (command !== undefined) run(command);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moveChoice(event.key, current, commands.length);
    if (next !== null) setChosen(next);
    else if (event.key === "Enter") setEnterDue(true);
    else return;
    event.preventDefault();
  };
  const hasFound = commands.some(({ id }) => id !== "search-docs");
  const isEmpty = !hasFound && !isSearching && text.trim() !== "";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={words.title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <Field
        text={text}
        current={current}
        isOpen={commands.length > 0}
        onText={search}
        onKeyDown={onKeyDown}
        onClose={() => dialog.current?.close()}
      />
      <div id={listId} className={styles.list} role="listbox" aria-label={words.results}>
        <Options commands={commands} chosen={current} onChoose={setChosen} onRun={run} />
      </div>
      <p className={styles.note} role="status">
        {hasFailed && words.searchFailed}
        {!hasFailed && (isEmpty ? words.nothing(text.trim()) : <Counted count={commands.length} />)}
      </p>
    </dialog>
  );
}

export function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={styles.palette} aria-labelledby="shortcuts" onClose={onClose}>
      <Row nowrap gap={0} justify="between" className={styles.head}>
        <h2 id="shortcuts">{words.shortcuts}</h2>
        <button type="button" className={styles.close} onClick={() => dialog.current?.close()}>
          {words.close}
        </button>
      </Row>
      <dl className={styles.keys} tabIndex={0}>
        {words.keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
