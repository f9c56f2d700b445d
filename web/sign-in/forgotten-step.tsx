import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, send } from "../api/client.ts";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { Card } from "./card.tsx";
import { Fault } from "./fault.tsx";
import { waysQuery } from "./queries.ts";
import { words } from "./words.ts";

function ResetForm() {
  const [email, setEmail] = useState("");
  const ask = useMutation({
    mutationFn: () => send(api.POST("/v1/password-resets", { body: { email } })),
  });
  if (ask.isSuccess) {
    return (
      <div role="status">
        <h2>{words.reset.sent}</h2>
        <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.reset.sentMore}</p>
      </div>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.reset.explain}</p>
      <TextInput
        label={words.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Fault error={ask.error} />
      <Button type="submit" fullWidth loading={ask.isPending}>
        {words.reset.send}
      </Button>
    </Stack>
  );
}

export function ForgottenStep() {
  const { data, error } = useQuery(waysQuery);
  return (
    <Card title={words.reset.title}>
      {data === undefined && (error ? <Fault error={error} /> : <Skeleton rows={3} />)}
      {data?.passwordReset && <ResetForm />}
      {data?.passwordReset === false && (
        <>
          <p>{words.reset.noMail}</p>
          <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.reset.command}</p>
          <code className={textStyles.code}>npm run vedette sign-in-link -- --email …</code>
        </>
      )}
      <p>
        <Link to="/sign-in">{words.back}</Link>
      </p>
    </Card>
  );
}
