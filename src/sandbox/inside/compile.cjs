// Lets scripts that run without Playwright's test runner use TypeScript and ES modules. Uses
// Playwright's own compiler, so that these scripts behave like scripts that run with the test
// runner.
"use strict";
const Module = require("node:module");
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");
const { folder } = require("./events.cjs");

const playwright = `${process.env.VEDETTE_ROOT}/node_modules/playwright`;
const typed = [".ts", ".mts", ".cts", ".tsx"];

/**
 * Returns a function that compiles code with Playwright's compiler; `null` if this version of
 * Playwright has no compiler. The parameters of the compiler depend on the version.
 */
function loadCompiler() {
  try {
    const { version } = require(`${playwright}/package.json`);
    const { babelTransform } = require(`${playwright}/lib/transform/babelBundle.js`);
    const isOld = Number(version.split(".")[1]) < 50;
    const options = isOld ? [true, false, [], []] : [false, [], []];
    return (code, path) => babelTransform(code, path, ...options).code;
  } catch {
    return null;
  }
}

let compiler;

function translate(code, path) {
  compiler ??= loadCompiler();
  if (compiler === null) {
    throw new SyntaxError(`${path} is TypeScript or an ES module, which this runtime cannot run.`);
  }
  process.setSourceMapsEnabled(true);
  const isTyped = typed.some((end) => path.endsWith(end));
  try {
    return compiler(code, isTyped ? path : `${path.replace(/\.js$/, "")}.ts`);
  } catch (error) {
    if (error.loc) error.location = { file: path, ...error.loc };
    throw error;
  }
}

function isValid(text) {
  try {
    new Script(text);
    return true;
  } catch {
    return false;
  }
}

const wrapInFunction = (code) => `module.exports = (async () => { ${code}\n})()`;
const isPlain = (code) => isValid(Module.wrap(code));

/**
 * Returns the compiled code of a script that may use `await` at the top level. The module that the
 * code defines exports a promise.
 */
exports.compileScript = (code, path) => {
  const isTyped = typed.some((end) => path.endsWith(end));
  const wrapped = wrapInFunction(code);
  return !isTyped && isValid(Module.wrap(wrapped)) ? wrapped : wrapInFunction(translate(code, path));
};

function load(module, path, loadAsIs) {
  const code = readFileSync(path, "utf8");
  const isTyped = typed.some((end) => path.endsWith(end));
  const isForeign = !path.startsWith(folder) || path.includes("/node_modules/");
  if (!isTyped && (isForeign || isPlain(code) || code.includes("import.meta"))) {
    return loadAsIs(module, path);
  }
  const translated = translate(code, path);
  const isMain = module.id === ".";
  // Only the main file may use `await` at the top level.
  module._compile(isMain && !isPlain(translated) ? wrapInFunction(translated) : translated, path);
}

exports.install = () => {
  const { ".js": loadAsIs } = Module._extensions;
  for (const end of [".js", ...typed]) {
    Module._extensions[end] = (module, path) => load(module, path, loadAsIs);
  }
};
