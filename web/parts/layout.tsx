import type { ComponentPropsWithRef, ElementType } from "react";
import styles from "./layout.module.css";

/** Number of a spacing token, such as 3 for `--space-3`. */
type Gap = 0 | 1 | 2 | 3 | 4 | 6 | 8;

type PartProps<Tag extends ElementType, Own> = Own & {
  readonly as?: Tag;
  readonly className?: string | undefined;
} & Omit<ComponentPropsWithRef<Tag>, keyof Own | "as" | "className">;

interface StackOwnProps {
  readonly gap?: Gap;
  /** Alignment of the children; with `start`, the children are not stretched to the full width. */
  readonly align?: "start" | undefined;
}

interface RowOwnProps {
  /** Horizontal gap between children. The vertical gap of wrapped lines is at most `--space-2`. */
  readonly gap?: Gap;
  /** Whether to halve the vertical gap of wrapped lines, for text rather than controls. */
  readonly tight?: boolean;
  readonly nowrap?: boolean;
  /**
   * Whether the row is part of a line of text, such as a symbol with its word. An inline row never
   * wraps.
   */
  readonly inline?: boolean;
  readonly align?: "start" | "end" | "baseline" | "stretch";
  readonly justify?: "between" | "end";
}

export type StackProps<Tag extends ElementType> = PartProps<Tag, StackOwnProps>;
type RowProps<Tag extends ElementType> = PartProps<Tag, RowOwnProps>;

/** Joins class names and omits values that are empty or false. */
export function joinClasses(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}

/** Places the children below each other. */
export function Stack<Tag extends ElementType = "div">(props: StackProps<Tag>) {
  const { as: Part = "div", gap = 3, align, className, ...rest } = props as StackProps<"div">;
  const own = joinClasses(styles.stack, styles[`gap${gap}`], align && styles[align], className);
  return <Part className={own} {...rest} />;
}

/** Places the children next to each other, and wraps children that do not fit. */
export function Row<Tag extends ElementType = "div">(props: RowProps<Tag>) {
  const {
    as: Part = "div",
    gap = 2,
    align,
    justify,
    className,
    ...others
  } = props as RowProps<"div">;
  const { tight, nowrap, inline, ...rest } = others;
  const own = joinClasses(
    styles.row,
    styles[`gap${gap}`],
    tight && styles.tight,
    nowrap && styles.nowrap,
    inline && styles.inline,
    align && styles[align],
    justify && styles[justify === "end" ? "atEnd" : justify],
    className,
  );
  return <Part className={own} {...rest} />;
}

/** The content of a screen below its `PageHeader`. */
export function ScreenBody<Tag extends ElementType = "div">(props: StackProps<Tag>) {
  const { className, ...rest } = props as StackProps<"div">;
  return <Stack gap={6} className={joinClasses(styles.body, className)} {...rest} />;
}

/** A form that places labelled fields below each other. */
export function FormLayout({ className, ...rest }: StackProps<"form">) {
  return <Stack as="form" gap={4} className={joinClasses(styles.form, className)} {...rest} />;
}
