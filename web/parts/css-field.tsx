import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers, WidgetType } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { Schemas } from "../api/client.ts";
import blockStyles from "./blocks.module.css";
import styles from "./css-field.module.css";
import { Stack } from "./layout.tsx";
import textStyles from "./text.module.css";

type CssWarning = Schemas["Dashboard"]["cssWarnings"][number];

const words = {
  label: "CSS",
  hint: "Applied after the default styles. Rules that are not allowed are removed and marked at their line.",
  warningsTitle: (count: number) => (count === 1 ? "1 warning" : `${count} warnings`),
  atColumn: (column: number, message: string) => `Column ${column}: ${message}.`,
} as const;

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", fontSize: "var(--text-small)" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-content": { fontFamily: "var(--font-code)", caretColor: "var(--ink)", minHeight: "8rem" },
  ".cm-gutters": {
    color: "var(--muted)",
    backgroundColor: "var(--ground)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-scroller": { maxHeight: "24rem" },
  ".warned": { backgroundColor: "var(--fair-tint)" },
  ".warning": {
    padding: "2px 8px",
    color: "var(--fair)",
    backgroundColor: "var(--fair-tint)",
    fontFamily: "var(--font)",
  },
});

/** Renders the warnings of a line below that line. */
class WarningWidget extends WidgetType {
  readonly #warnings: readonly CssWarning[];

  constructor(warnings: readonly CssWarning[]) {
    super();
    this.#warnings = warnings;
  }

  override toDOM(): HTMLElement {
    const box = document.createElement("div");
    box.className = "warning";
    box.textContent = this.#warnings
      .map(({ column, message }) => words.atColumn(column, message))
      .join(" ");
    return box;
  }
}

function drawWarnings(state: EditorState, warnings: readonly CssWarning[]): Extension {
  const byLine = new Map<number, CssWarning[]>();
  for (const warning of warnings) {
    // The line may no longer exist: the text may have changed since the warnings were created.
    if (warning.line > state.doc.lines) continue;
    byLine.set(warning.line, [...(byLine.get(warning.line) ?? []), warning]);
  }
  const marks = [...byLine].flatMap(([number, found]) => {
    const line = state.doc.line(number);
    const widget = new WarningWidget(found);
    return [
      Decoration.line({ class: "warned" }).range(line.from),
      Decoration.widget({ widget, block: true, side: 1 }).range(line.to),
    ];
  });
  return EditorView.decorations.of(Decoration.set(marks, true));
}

interface CssFieldProps {
  /** Hint below the field; `null` if it is shown elsewhere. */
  readonly hint?: string | null;
  readonly value: string;
  readonly warnings: readonly CssWarning[];
  readonly onChange: (text: string) => void;
}

/**
 * An editor for CSS. It is rendered in a shadow root with a constructed style sheet, because the
 * content security policy forbids style elements.
 */
export function CssField({ hint = words.hint, value, warnings, onChange }: CssFieldProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const marks = useRef(new Compartment());
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const state = EditorState.create({
      doc: latest.current.value,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        theme,
        // The Tab key is not bound, so that it moves the focus to the next field.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": words.label }),
        marks.current.of([]),
        EditorView.updateListener.of(({ docChanged, state: { doc } }) => {
          if (docChanged) latest.current.onChange(doc.toString());
        }),
      ],
    });
    const created = new EditorView({ state, root, parent: root });
    view.current = created;
    return () => created.destroy();
  }, []);
  useEffect(() => {
    const shown = view.current;
    if (shown === null || shown.state.doc.toString() === value) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const shown = view.current;
    if (shown === null) return;
    shown.dispatch({ effects: marks.current.reconfigure(drawWarnings(shown.state, warnings)) });
  }, [warnings]);
  return (
    <Stack gap={2}>
      {hint !== null && <span className={`${textStyles.hint} ${textStyles.wrap}`}>{hint}</span>}
      <div className={blockStyles.frame} ref={host} />
      <p role="status" className={styles.warnings}>
        {warnings.length > 0 && words.warningsTitle(warnings.length)}
      </p>
    </Stack>
  );
}
