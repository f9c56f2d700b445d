import { Button, Modal, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { getFieldError, getFormError } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { words } from "./words.ts";

const empty = { host: "", cert: "", key: "", passphrase: "", ca: "" };
type Field = keyof typeof empty;
const fields = Object.keys(empty) as Field[];

function create({ host, cert, key, passphrase, ca }: typeof empty) {
  return send(
    api.POST("/v1/client-certificates", {
      body: {
        host,
        cert,
        ...(key !== "" && { key }),
        ...(passphrase !== "" && { passphrase }),
        ...(ca !== "" && { ca }),
      },
    }),
  );
}

export function CertificateDialog({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  // No draft is stored, because the private key must not be in the tab's storage.
  const [draft, setDraft] = useState(empty);
  const saving = useMutation({
    mutationFn: () => create(draft),
    onSuccess: async () => {
      onClose();
      showNotice({ text: words.created });
      await renewQueries(queryClient, ["client-certificates"]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  const field = (name: Field) => ({
    label: words[name],
    description: words[`${name}Hint`],
    value: draft[name],
    error: getFieldError(saving.error, name),
    spellCheck: false,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  const beside = getFormError(saving.error, fields);
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={words.create}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <FormLayout onSubmit={submit}>
        <TextInput {...field("host")} required maxLength={300} data-autofocus />
        <Textarea {...field("cert")} required rows={5} />
        <Textarea {...field("key")} rows={5} />
        <PasswordInput {...field("passphrase")} maxLength={1_000} autoComplete="off" />
        <Textarea {...field("ca")} rows={3} />
        {beside && <ErrorPanel error={beside} />}
        <Row>
          <Button type="submit" loading={saving.isPending}>
            {words.save}
          </Button>
        </Row>
      </FormLayout>
    </Modal>
  );
}
