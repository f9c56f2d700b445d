import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, send } from "../api/client.ts";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { Card } from "./card.tsx";
import { Fault } from "./fault.tsx";
import { words } from "./words.ts";

/** Exchanges a one-time link for a session, without a click. */
export function LinkStep({ token }: { readonly token: string }) {
  const navigate = useNavigate();
  const isAsked = useRef(false);
  const { mutate, error } = useMutation({
    mutationFn: () => send(api.POST("/v1/sessions/link", { body: { token } })),
    // Replaces the address, so that the used token is not in the history.
    onSuccess: () => navigate({ to: "/sign-in", search: { step: "password" }, replace: true }),
  });
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    mutate();
  }, [mutate]);
  if (error === null) {
    return (
      <Card title={words.link.working}>
        <Skeleton rows={3} />
      </Card>
    );
  }
  const isSpent = error instanceof ApiError && error.status === 404;
  return (
    <Card title={words.link.badTitle}>
      {isSpent ? (
        <>
          <p>{words.link.bad}</p>
          <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.link.command}</p>
          <code className={textStyles.code}>npm run vedette sign-in-link</code>
        </>
      ) : (
        <Fault error={error} />
      )}
      <p>
        <Link to="/sign-in">{words.back}</Link>
      </p>
    </Card>
  );
}
