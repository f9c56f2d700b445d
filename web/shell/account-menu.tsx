import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { chooseAccount } from "../api/chosen-account.ts";
import { api, send } from "../api/client.ts";
import { signOut, useMay, useSession } from "../api/session.ts";
import buttonStyles from "../parts/buttons.module.css";
import { CheckIcon, PersonIcon } from "../parts/icons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./account-menu.module.css";
import { accountsQuery } from "./queries.ts";
import shell from "./shell.module.css";
import { roleNames, words } from "./words.ts";

/** Switches the account and reloads the page, because data in memory belongs to the old account. */
function openAccount(accountId: string): void {
  chooseAccount(accountId);
  location.assign("/");
}

function SignOutButton() {
  const leave = useMutation({
    mutationFn: signOut,
    onError: (error) => {
      const why = error instanceof ApiError ? error.message : "";
      showNotice({ text: `${words.account.notSignedOut}. ${why}`, tone: "bad" });
    },
  });
  return (
    <button
      type="button"
      className={buttonStyles.option}
      disabled={leave.isPending || leave.isSuccess}
      onClick={() => leave.mutate()}
    >
      {words.account.signOut}
    </button>
  );
}

function AccountList() {
  const { account } = useSession();
  const { data = [account] } = useQuery(accountsQuery);
  if (data.length < 2) return null;
  return (
    <ul className={styles.accounts} aria-label={words.account.switch}>
      {data.map(({ id, name, role }) => (
        <li key={id}>
          <button
            type="button"
            className={buttonStyles.option}
            aria-current={id === account.id}
            onClick={() => openAccount(id)}
          >
            <span className={`${layoutStyles.fill} ${textStyles.wrap}`}>{name}</span>
            <span className={textStyles.hint}>{roleNames[role]}</span>
            {id === account.id && <CheckIcon size={16} />}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Creates another account and switches to it. */
function NewAccount() {
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => send(api.POST("/v1/accounts", { body: { name: name.trim() } })),
    onSuccess: ({ id }) => openAccount(id),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <details className={styles.create}>
      <summary className={buttonStyles.option}>{words.account.create}</summary>
      <Stack
        as="form"
        gap={2}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack as="label" gap={1}>
          {words.account.name}
          <input
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </Stack>
        <button type="submit" disabled={create.isPending || name.trim() === ""}>
          {words.account.createIt}
        </button>
      </Stack>
    </details>
  );
}

/** Menu with the signed-in user, the current account, other accounts, and sign-out. */
export function AccountMenu() {
  const { user, account } = useSession();
  const mayCreate = useMay("owner");
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles.place}>
      <button
        type="button"
        className={shell.section}
        popoverTarget="account-menu"
        aria-expanded={isOpen}
        aria-label={words.account.in(user.name ?? user.email, account.name)}
      >
        <PersonIcon size={20} />
        <span className={`${styles.wide} ${textStyles.clip}`}>{user.name ?? user.email}</span>
        <span className={styles.narrow}>{words.account.open}</span>
      </button>
      <div
        id="account-menu"
        popover="auto"
        className={styles.menu}
        onToggle={({ target, currentTarget, newState }) => {
          // Toggle events of the `details` element inside the menu also reach this handler, because
          // they bubble in React. Only the toggle events of the menu itself count.
          if (target === currentTarget) setOpen(newState === "open");
        }}
      >
        <Stack as="p" gap={0} className={styles.who}>
          {user.name !== null && <b>{user.name}</b>}
          <span>{user.email}</span>
          <span className={textStyles.hint}>
            {account.name}, {roleNames[account.role]}
          </span>
        </Stack>
        {isOpen && <AccountList />}
        {isOpen && mayCreate && <NewAccount />}
        <SignOutButton />
      </div>
    </div>
  );
}
