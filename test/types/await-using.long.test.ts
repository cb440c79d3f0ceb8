import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "../support/pages.js";

const FILE = join(root, "await-using-example.ts");

const USES = `
import { allowAnonymous, createMemoryBackend, createOrderService, createWorker, withQueue } from "async-request-reply";
import type { Queue, Service, Worker } from "async-request-reply";
declare const queue: Queue;
await using backend = withQueue(createMemoryBackend(), queue);
await using service: Service = createOrderService({ authorize: allowAnonymous(), backend });
await using worker: Worker = createWorker(service, {});
`;

const CLOSES = `
import { allowAnonymous, createMemoryBackend, createOrderService, createWorker } from "async-request-reply";
import type { Backend, Service, Worker } from "async-request-reply";
const backend: Backend<never> = createMemoryBackend();
const service: Service = createOrderService({ authorize: allowAnonymous(), backend });
const worker: Worker = createWorker(service, {});
await worker.stop();
await service.close();
`;

/** Compiles a module without the types of Node, which would bring `Symbol.asyncDispose`. */
function errorsOf(text: string, lib: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  config.compilerOptions = { ...config.compilerOptions, lib, types: [], skipLibCheck: false };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => file === FILE || fileExists(file);
  host.getSourceFile = (file, version, ...rest) =>
    file === FILE ? ts.createSourceFile(file, text, version, true) : getSourceFile(file, version, ...rest);
  const program = ts.createProgram([FILE], options, host);
  return [FILE, join(root, "src/contract/await-using.ts")]
    .flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

describe("the types", () => {
  const old = ["es2023", "es2024.string", "dom"];

  it("support `await using` with `esnext.disposable` in `lib`", () => {
    expect(errorsOf(USES, [...old, "esnext.disposable"])).toEqual([]);
  });

  it("work without it, but then a worker cannot be used with `await using`", () => {
    expect(errorsOf(CLOSES, old)).toEqual([]);
    expect(errorsOf(USES, old)).not.toEqual([]);
  });
});
