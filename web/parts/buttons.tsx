import type { ComponentPropsWithRef } from "react";
import styles from "./buttons.module.css";
import { joinClasses } from "./layout.tsx";

type ButtonProps = ComponentPropsWithRef<"button">;

/** A square button with an icon. Needs an `aria-label`. */
export function IconButton({ className, ...rest }: ButtonProps) {
  return <button type="button" className={joinClasses(styles.icon, className)} {...rest} />;
}

/** A button that looks like a link, for an action within text. */
export function LinkButton({ className, ...rest }: ButtonProps) {
  return <button type="button" className={joinClasses(styles.link, className)} {...rest} />;
}

type SegmentsProps = ComponentPropsWithRef<"fieldset"> & { readonly as?: "nav" };

/** A choice of one: buttons with `aria-pressed`, or links with `aria-current="page"`. */
export function Segments({ as, ...rest }: SegmentsProps) {
  const Part = as ?? "fieldset";
  return <Part className={styles.segments} {...(rest as object)} />;
}
