import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, send } from "../api/client.ts";
import styles from "./sign-in-screen.module.css";
import { words } from "./words.ts";

function SignInScreen() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const search = useSearch({ from: "/sign-in" });
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    mutationFn: () => send(api.POST("/v1/sessions", { body: { email, password } })),
    onSuccess: async () => {
      queryClient.clear();
      await router.navigate({ href: search.return ?? "/", replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  const { error } = signIn;
  return (
    <main className={styles.screen}>
      <form className={styles.form} onSubmit={submit}>
        <img src="/favicon.svg" alt="" width={40} height={40} />
        <h1>{words.title}</h1>
        <TextInput
          label={words.email}
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={words.password}
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {error instanceof ApiError && (
          <p className={styles.fault} role="alert">
            {error.message}
          </p>
        )}
        <Button type="submit" fullWidth loading={signIn.isPending}>
          {words.signIn}
        </Button>
      </form>
    </main>
  );
}

export const route = createLazyRoute("/sign-in")({ component: SignInScreen });
