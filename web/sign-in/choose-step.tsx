import { Button } from "@mantine/core";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import { fetchSelf } from "../api/session.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { Card } from "./card.tsx";
import { NewPasswordForm } from "./new-password-form.tsx";
import { useEnter } from "./queries.ts";
import styles from "./sign-in.module.css";
import { words } from "./words.ts";

const selfQuery = queryOptions({
  queryKey: ["sign-in", "self"],
  queryFn: fetchSelf,
  retry: false,
});

/** For somebody whom a one-time link has signed in. */
export function ChooseStep({ returnTo }: { readonly returnTo: string }) {
  const enter = useEnter();
  const self = useQuery(selfQuery);
  const save = useMutation({
    mutationFn: (newPassword: string) =>
      send(api.PUT("/v1/users/me/password", { body: { newPassword } })),
    onSuccess: () => enter(returnTo),
  });
  const { data } = self;
  if (data === undefined) {
    return (
      <Card title={words.choose.title}>
        {self.error ? <ErrorPanel error={self.error} /> : <Skeleton rows={4} />}
      </Card>
    );
  }
  return (
    <Card title={data.hasPassword ? words.choose.newTitle : words.choose.title}>
      <NewPasswordForm
        email={data.email}
        action={words.choose.save}
        error={save.error}
        isBusy={save.isPending}
        onSubmit={save.mutate}
      >
        {data.hasPassword && (
          <>
            <Button variant="default" fullWidth onClick={() => enter(returnTo)}>
              {words.choose.keep}
            </Button>
            <p className={styles.quiet}>{words.choose.ends}</p>
          </>
        )}
      </NewPasswordForm>
    </Card>
  );
}
