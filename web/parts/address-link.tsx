import { useRouter } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

/** A link to an address of ours with its search as text. The browser keeps its own ways to open. */
export function AddressLink({
  href,
  onClick,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string }) {
  const router = useRouter();
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event);
        const isOwnWay = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
        if (event.defaultPrevented || isOwnWay) return;
        event.preventDefault();
        router.history.push(href);
      }}
    />
  );
}
