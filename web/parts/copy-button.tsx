import { Button } from "@mantine/core";
import { useState } from "react";
import { CheckIcon, CopyIcon } from "./icons.tsx";
import { showNotice } from "./notices.tsx";

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** What it copies, where several stand together. */
  readonly name?: string;
}

export function CopyButton({ text, label = "Copy", name }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Browsers allow it only over HTTPS and on this machine.
      showNotice({ text: "This browser does not let pages copy here. Select the text instead." });
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
