import { json } from "@codemirror/lang-json";
import type { ComponentProps } from "react";
import { CodeField } from "../editor/code-field.tsx";

const language = json();

export function JsonField(props: Omit<ComponentProps<typeof CodeField>, "language">) {
  return <CodeField {...props} language={language} />;
}
