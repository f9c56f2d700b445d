/** The layout of every editor: a form of sections, its actions, and a column beside it. */
import { type ReactNode, useId } from "react";
import blockStyles from "./blocks.module.css";
import styles from "./form.module.css";
import { joinClasses, Row, Stack, type StackProps } from "./layout.tsx";
import textStyles from "./text.module.css";

/** Contains an `EditorForm`, and an `aside` with what the form results in. */
export function EditorLayout({ children }: { readonly children: ReactNode }) {
  return <div className={styles.editor}>{children}</div>;
}

/** A form of `FormSection`s that ends with `FormActions`. */
export function EditorForm({ className, ...rest }: StackProps<"form">) {
  return <Stack as="form" gap={6} className={joinClasses(styles.form, className)} {...rest} />;
}

interface FormSectionProps {
  readonly title: ReactNode;
  readonly hint?: ReactNode;
  /** Whether the children are cards themselves, such as the layers of a schedule. */
  readonly ofCards?: boolean;
  readonly children: ReactNode;
}

/** Fields of one subject: a heading and a card. */
export function FormSection({ title, hint, ofCards = false, children }: FormSectionProps) {
  const id = useId();
  return (
    <Stack as="section" aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        {hint && <p className={textStyles.hint}>{hint}</p>}
      </div>
      <Stack gap={4} className={ofCards ? undefined : blockStyles.card}>
        {children}
      </Stack>
    </Stack>
  );
}

/** Places fields next to each other if there is enough space. */
export function FieldRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles.fields}>{children}</div>;
}

/** Places check boxes in columns. A long list scrolls. */
export function ChoiceColumns({ children }: { readonly children: ReactNode }) {
  return <div className={styles.choices}>{children}</div>;
}

interface FormActionsProps {
  /** Save first, then what else ends the form. */
  readonly children: ReactNode;
  /** Actions on the stored object, such as deleting it. */
  readonly atEnd?: ReactNode;
}

/** The actions of a form, visible at the bottom of the window however long the form is. */
export function FormActions({ children, atEnd }: FormActionsProps) {
  return (
    <Row gap={3} className={styles.actions}>
      {children}
      {atEnd && <Row className={styles.atEnd}>{atEnd}</Row>}
    </Row>
  );
}
