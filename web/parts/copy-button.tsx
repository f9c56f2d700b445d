import { Button } from "@mantine/core";
import { useState } from "react";
import { CheckIcon, CopyIcon } from "./icons.tsx";
import { showNotice } from "./notices.tsx";

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** Accessible name, to distinguish several copy buttons. */
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
