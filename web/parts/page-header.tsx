import { type ReactNode, useEffect, useRef, useState } from "react";
import styles from "./page-header.module.css";
import { useScreenTitle } from "./screen-title.ts";

interface PageHeaderProps {
  readonly title: ReactNode;
  /** Names the browser's tab; the title unless given. */
  readonly tabTitle?: string | undefined;
  /** Buttons at the right; below the title on a phone. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** The title of a screen with what can be done there. It names the browser's tab too. */
export function PageHeader({ title, tabTitle, actions, children }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [text, setText] = useState<string>();
  // Read from the document, because a title may be any element.
  useEffect(() => setText(heading.current?.textContent ?? undefined));
  useScreenTitle(tabTitle ?? text);
  return (
    <header className={styles.header}>
      <div className={styles.row}>
        <h1 ref={heading} className={styles.title}>
          {title}
        </h1>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </header>
  );
}
