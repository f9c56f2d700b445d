import { type ReactNode, useEffect, useRef, useState } from "react";
import { Row, Stack } from "./layout.tsx";
import styles from "./page-header.module.css";
import { useScreenTitle } from "./screen-title.ts";
import textStyles from "./text.module.css";

interface PageHeaderProps {
  readonly title: ReactNode;
  /** Title of the browser tab; by default the title of the screen. */
  readonly tabTitle?: string | undefined;
  /** Buttons next to the title, or below the title on a phone. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** Shows the title and the actions of a screen, and sets the title of the browser tab. */
export function PageHeader({ title, tabTitle, actions, children }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [text, setText] = useState<string>();
  // The text is read from the DOM, because the title may be any React element.
  useEffect(() => setText(heading.current?.textContent ?? undefined));
  useScreenTitle(tabTitle ?? text);
  return (
    <Stack as="header" className={styles.header}>
      <Row gap={4} className={styles.row}>
        <h1 ref={heading} className={`${styles.title} ${textStyles.clampOnPhone}`}>
          {title}
        </h1>
        {actions && <Row>{actions}</Row>}
      </Row>
      {children}
    </Stack>
  );
}
