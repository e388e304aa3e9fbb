// Reads JSON [{"math": …, "display": …}] from standard input; prints JSON with a message for each that KaTeX refuses.
import { readFileSync } from "node:fs";
import katex from "katex";

const refused = [];
for (const { math, display } of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    katex.renderToString(math, { displayMode: display, throwOnError: true, strict: "error" });
  } catch (problem) {
    refused.push(`${problem.message}: ${math}`);
  }
}
console.log(JSON.stringify(refused));
