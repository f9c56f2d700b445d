import { NativeSelect } from "@mantine/core";
import { getText } from "../../parts/fields.ts";
import { useEditorOf } from "../editor/editor-context.ts";
import type { Choice } from "../editor/fields.tsx";
import { words } from "./editor-words.ts";

const modePath = "request.sslConfig.clientCertificateMode";
const idPath = "request.sslClientCertificateId";
const byHost = "auto";

interface CertificateSelectProps {
  readonly choices: readonly Choice[];
  readonly mode: string;
}

/** Selects the client certificate: one control for two API fields. */
export function CertificateSelect({ choices, mode }: CertificateSelectProps) {
  const { values, merge, findFieldError, noteLabel } = useEditorOf<"SSL">();
  noteLabel(modePath, words.clientCertificate);
  noteLabel(idPath, words.clientCertificate);
  const id = getText(values, idPath);
  const isKnown = id === "" || choices.some(({ value }) => value === id);
  const choose = (value: string) =>
    merge({
      request: {
        sslConfig: { clientCertificateMode: value === byHost ? byHost : "explicit" },
        sslClientCertificateId: value === byHost ? null : value,
      },
    });
  return (
    <NativeSelect
      label={words.clientCertificate}
      data-path={`${modePath} ${idPath}`}
      error={findFieldError(idPath) ?? findFieldError(modePath)}
      data={[
        { value: byHost, label: words.byHost },
        ...choices,
        ...(isKnown ? [] : [{ value: id, label: id }]),
      ]}
      value={mode === byHost && id === "" ? byHost : id}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  );
}
