import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type ReactNode, useEffect, useId, useRef } from "react";
import blockStyles from "../../parts/blocks.module.css";
import { getText, type PathTo } from "../../parts/fields.ts";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { AnyValues } from "../form-values.ts";
import { useFieldEditor } from "./editor-context.ts";

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", fontSize: "var(--text-small)" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-content": { fontFamily: "var(--font-code)", caretColor: "var(--ink)", minHeight: "6rem" },
  ".cm-gutters": {
    color: "var(--muted)",
    backgroundColor: "var(--ground)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-scroller": { maxHeight: "24rem" },
  "&.tall .cm-content": { minHeight: "14rem" },
  "&.tall .cm-scroller": { maxHeight: "40rem" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: "var(--accent)" },
  { tag: tags.comment, color: "var(--muted)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--fair)" },
]);

interface CodeFieldProps {
  readonly path: PathTo<AnyValues, string>;
  readonly label: string;
  readonly hint?: ReactNode;
  /**
   * Language of the code. Pass the same object at every render, because a new object recreates the
   * editor.
   */
  readonly language: Extension;
  readonly isTall?: boolean;
}

/**
 * An editor for code. It is rendered in a shadow root with a constructed style sheet, because the
 * content security policy forbids style elements.
 */
export function CodeField({ path, label, hint, language, isTall = false }: CodeFieldProps) {
  const { values, set, findFieldError, noteLabel } = useFieldEditor();
  noteLabel(path, label);
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const id = useId();
  const text = getText(values, path);
  const first = useRef(text);
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const state = EditorState.create({
      doc: first.current,
      extensions: [
        lineNumbers(),
        history(),
        language,
        indentOnInput(),
        bracketMatching(),
        syntaxHighlighting(colours),
        theme,
        // The Tab key is not bound, so that it moves the focus to the next field.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.editorAttributes.of({ class: isTall ? "tall" : "" }),
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of(({ docChanged, state: { doc } }) => {
          if (docChanged) set(path, doc.toString());
        }),
      ],
    });
    const created = new EditorView({ state, root, parent: root });
    view.current = created;
    // After a validation error, the form focuses this element, which passes the focus to the
    // editor.
    const shadowHost = host.current;
    const handOn = () => created.focus();
    shadowHost.addEventListener("focus", handOn);
    return () => {
      shadowHost.removeEventListener("focus", handOn);
      created.destroy();
    };
  }, [path, label, set, language, isTall]);
  useEffect(() => {
    const shown = view.current;
    if (shown === null || shown.state.doc.toString() === text) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: text } });
  }, [text]);
  const fault = findFieldError(path);
  return (
    <Stack gap={1}>
      <span className={textStyles.strong} id={id}>
        {label}
      </span>
      {hint && <span className={textStyles.hint}>{hint}</span>}
      <div className={blockStyles.frame} ref={host} data-path={path} tabIndex={-1} />
      {fault && <span className={textStyles.fault}>{fault}</span>}
    </Stack>
  );
}
