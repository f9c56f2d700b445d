// The reference works without this script. The script lets a reader send requests from the page, as
// the signed-in user or with an API key. The key is kept only in the memory of this page.
(() => {
  const maxShown = 100_000;
  let document_;
  let key = "";

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const load = async () => {
    document_ ??= fetch("/openapi.json").then((answer) => answer.json());
    return document_;
  };

  const resolve = (whole, part) =>
    part?.$ref === undefined
      ? part
      : part.$ref
          .slice(2)
          .split("/")
          .reduce((found, step) => found[step], whole);

  const readAccount = () => {
    try {
      return localStorage.getItem("vedette.account");
    } catch {
      return null;
    }
  };

  function createField(parameter, id) {
    const { name, in: place, required, schema = {}, description = "" } = parameter;
    const input = element("input", { id, required, title: description });
    if (required && schema.examples?.[0] !== undefined) input.placeholder = String(schema.examples[0]);
    const label = element("label", { htmlFor: id, textContent: `${name} (${place})` });
    return { parameter, input, row: element("p", {}, label, input) };
  }

  function readRequest(method, path, { fields, body }) {
    let address = path;
    const query = new URLSearchParams();
    const headers = { accept: "application/json, text/*;q=0.9, */*;q=0.8" };
    for (const { parameter, input } of fields) {
      if (input.value === "") continue;
      const { name, in: place } = parameter;
      if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(input.value));
      else if (place === "query") query.append(name, input.value);
      else headers[name] = input.value;
    }
    if (key !== "") headers.authorization = `Bearer ${key}`;
    else if (readAccount() !== null) headers["x-service-account"] ??= readAccount();
    if (body !== null) headers["content-type"] = "application/json";
    const url = query.size === 0 ? address : `${address}?${query}`;
    return [url, { method, headers, ...(body !== null && { body: body.value }) }];
  }

  const write = (text) => {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };

  // A response may be an endless stream, so it is shown as it arrives, up to a limit.
  async function show(answer, output, signal) {
    const type = answer.headers.get("content-type") ?? "";
    if (answer.body === null || (type !== "" && !/json|text|xml|event-stream/.test(type))) {
      output.textContent = type === "" ? "" : `Not text: ${type}`;
      return;
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    signal.addEventListener("abort", () => reader.cancel().catch(() => {}));
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      output.textContent = text.slice(0, maxShown);
      if (text.length > maxShown) {
        await reader.cancel();
        output.textContent += "\n… cut here";
        return;
      }
    }
    output.textContent = /json/.test(type) ? write(text) : text;
  }

  async function send(request, { state, output, stop }) {
    const controller = new AbortController();
    stop.hidden = false;
    stop.onclick = () => controller.abort();
    state.textContent = "Sending…";
    output.textContent = "";
    try {
      const [address, options] = request;
      const answer = await fetch(address, { ...options, signal: controller.signal });
      const id = answer.headers.get("x-request-id");
      state.textContent = `${answer.status} ${answer.statusText}${id ? `, request ${id}` : ""}`;
      if (answer.status === 401) {
        state.append(" ", element("a", { href: "/sign-in", textContent: "Sign in" }), " or give a key.");
      }
      await show(answer, output, controller.signal);
    } catch (error) {
      state.textContent = controller.signal.aborted ? "Stopped." : `No answer: ${error.message}`;
    } finally {
      stop.hidden = true;
    }
  }

  async function open(section, button) {
    button.disabled = true;
    const { method, path } = section.dataset;
    const whole = await load();
    const operation = whole.paths[path][method];
    const parameters = (operation.parameters ?? []).map((one) => resolve(whole, one));
    const fields = parameters.map((one, place) => createField(one, `${section.id}-field-${place}`));
    const media = resolve(whole, operation.requestBody)?.content?.["application/json"];
    const body = media
      ? element("textarea", {
          id: `${section.id}-body`,
          rows: 8,
          spellcheck: false,
          value: JSON.stringify(media.example ?? {}, null, 2),
        })
      : null;
    const keyField = element("input", { type: "password", autocomplete: "off", id: `${section.id}-key`, value: key });
    keyField.oninput = () => {
      key = keyField.value;
    };
    const state = element("p", { className: "state" });
    state.setAttribute("role", "status");
    const output = element("pre", { tabIndex: 0 });
    output.setAttribute("aria-label", "The answer");
    const stop = element("button", { type: "button", textContent: "Stop", hidden: true });
    const form = element(
      "form",
      { className: "try" },
      element(
        "p",
        {},
        element("label", { htmlFor: keyField.id, textContent: "API key (empty: the signed-in user)" }),
        keyField,
      ),
      ...fields.map(({ row }) => row),
      ...(body ? [element("p", {}, element("label", { htmlFor: body.id, textContent: "Body" }), body)] : []),
      ...(method === "get" ? [] : [element("p", { className: "warning", textContent: "This request changes data of the account." })]),
      element("p", {}, element("button", { textContent: `Send ${method.toUpperCase()}` }), " ", stop),
      state,
      output,
    );
    form.onsubmit = (event) => {
      event.preventDefault();
      void send(readRequest(method.toUpperCase(), path, { fields, body }), { state, output, stop });
    };
    button.replaceWith(form);
    keyField.focus();
  }

  for (const section of document.querySelectorAll(".operation[data-path]")) {
    const button = element("button", { type: "button", textContent: "Try it" });
    button.setAttribute("aria-label", `Try it: ${section.dataset.method.toUpperCase()} ${section.dataset.path}`);
    button.onclick = () =>
      open(section, button).catch(() => {
        button.disabled = false;
      });
    section.querySelector("pre")?.after(button);
  }
})();
