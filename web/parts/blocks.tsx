import type { ElementType, HTMLAttributes, ReactNode } from "react";
import styles from "./blocks.module.css";
import { joinClasses, Stack, type StackProps } from "./layout.tsx";

type TabBarProps = HTMLAttributes<HTMLElement> & { readonly as?: "nav" | "div" };

/** A bar of tabs, which are links with `aria-current="page"` or buttons with `role="tab"`. */
export function TabBar({ as: Part = "nav", ...rest }: TabBarProps) {
  return <Part className={styles.tabs} {...rest} />;
}

type CalloutProps<Tag extends ElementType> = StackProps<Tag> & {
  readonly tone: "fair" | "bad" | "good" | "accent";
};

/** A message within a screen: a warning, a failure, a success or a hint. */
export function Callout<Tag extends ElementType = "div">(props: CalloutProps<Tag>) {
  const { tone, className, ...rest } = props as CalloutProps<"div">;
  return (
    <Stack gap={2} className={joinClasses(styles.callout, styles[tone], className)} {...rest} />
  );
}

interface FactListProps {
  /** Whether each name is shown above its value, in as many columns as fit. */
  readonly tiles?: boolean;
  readonly children: ReactNode;
}

/** A list of names and values. A `div` may group `dt` and `dd`. */
export function FactList({ tiles = false, children }: FactListProps) {
  return <dl className={tiles ? styles.tiles : styles.facts}>{children}</dl>;
}
