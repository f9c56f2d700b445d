/**
 * Subject and body of a mail, as text and as HTML. Only the shared layout of mails
 * (`src/pages/mails/layout.ts`) may create a `MailText`, so that all mails look alike. An
 * architecture test enforces this rule.
 */
export class MailText {
  readonly #parts: { readonly subject: string; readonly text: string; readonly html: string };

  constructor(parts: { readonly subject: string; readonly text: string; readonly html: string }) {
    this.#parts = parts;
  }

  get subject(): string {
    return this.#parts.subject;
  }

  get text(): string {
    return this.#parts.text;
  }

  get html(): string {
    return this.#parts.html;
  }
}
