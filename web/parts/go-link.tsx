import { useNavigate } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

interface GoLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly href: string;
}

/** A link to an address of the application that is only known at run time. */
export function GoLink({ href, ...rest }: GoLinkProps) {
  const navigate = useNavigate();
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        void navigate({ href });
      }}
    />
  );
}
