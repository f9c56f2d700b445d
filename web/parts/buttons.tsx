import { Button } from "@mantine/core";
import { type ComponentPropsWithRef, useState } from "react";
import styles from "./buttons.module.css";
import { CheckIcon, CopyIcon } from "./icons.tsx";
import { joinClasses } from "./layout.tsx";
import { showNotice } from "./notices.tsx";

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** Accessible name, which distinguishes several copy buttons on a screen. */
  readonly name?: string;
}

export function CopyButton({ text, label = "Copy", name }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Browsers allow clipboard access only over HTTPS and on localhost.
      showNotice({
        text: "The browser denied access to the clipboard. Select the text and copy it manually.",
      });
    }
  };
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={isCopied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
      aria-label={isCopied ? undefined : name}
      onClick={copy}
    >
      {isCopied ? "Copied" : label}
    </Button>
  );
}

type ButtonProps = ComponentPropsWithRef<"button">;

/** A square button that contains only an icon. It needs an `aria-label`. */
export function IconButton({ className, ...rest }: ButtonProps) {
  return <button type="button" className={joinClasses(styles.icon, className)} {...rest} />;
}

/** A button that looks like a link, for an action within text. */
export function LinkButton({ className, ...rest }: ButtonProps) {
  return <button type="button" className={joinClasses(styles.link, className)} {...rest} />;
}

type SegmentsProps = ComponentPropsWithRef<"fieldset"> & { readonly as?: "nav" };

/**
 * A group of options of which one is selected. The options are `aria-pressed` buttons or
 * `aria-current` links.
 */
export function Segments({ as, ...rest }: SegmentsProps) {
  const Part = as ?? "fieldset";
  return <Part className={styles.segments} {...(rest as object)} />;
}
