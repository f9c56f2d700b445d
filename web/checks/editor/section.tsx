import { type ReactNode, useId } from "react";
import styles from "./editor.module.css";

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A section of the form. */
export function Section({ title, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id} className={styles.sectionTitle}>
        {title}
      </h2>
      <div className={styles.fields}>{children}</div>
    </section>
  );
}
