import type { ReactNode } from "react";
import styles from "./page-header.module.css";

interface PageHeaderProps {
  readonly title: ReactNode;
  /** Buttons at the right; below the title on a phone. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** The title of a screen with what can be done there. */
export function PageHeader({ title, actions, children }: PageHeaderProps) {
  return (
    <header className={styles.header}>
      <div className={styles.row}>
        <h1 className={styles.title}>{title}</h1>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </header>
  );
}
