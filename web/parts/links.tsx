import { useNavigate, useRouter } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

/**
 * A link to a path of the application that comes from data, such as an API response. Modifier keys
 * work as usual.
 */
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

interface GoLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly href: string;
}

/** A link to a path of the application that is only known at run time. */
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
