import { xmlFormat } from "async-request-reply/xml";
import type { FuzzSubject } from "./subject.js";
import { pick } from "./values.js";

const headings = ["", "", '<?xml version="1.0" encoding="UTF-8"?>\n', "<!-- a comment -->"];

/** Pieces of XML, in any namespace. */
const tokens = [
  ..."<>&'\"/=![]?;:#- \t\r\n\0\x01\u0085\u2028\ufeff\u00e9",
  ...["<order>", "</order>", "<itemId>", "</itemId>", "<quantity>2</quantity>", "<a/>", "<__proto__/>", "😀"],
  ...['<?xml version="1.0"?>', '<?xml version="1.1"?>', '<?xml version="1.0" encoding="UTF-16"?>', "<?a b?>"],
  ...["<!-- c -->", "<!---->", "<!-- -- -->", "<![CDATA[ ]]>", "<![CDATA[", "]]>"],
  ...["<!DOCTYPE order>", '<!DOCTYPE a [<!ENTITY b "c">]>'],
  ..."&b; &lt; &amp; &#0; &#x1F600; &#xD800;".split(" "),
  ...['xmlns="a"', 'xmlns:a="b"', 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"', 'xsi:nil="true"'],
  ...["a:", "xml:lang", "xmlns:xmlns", "_x0041_", "_xD800_", "_x_", "<a b='c' b='d'/>"],
];

export const xmlSubject: FuzzSubject = {
  name: "XML",
  format: xmlFormat,
  write: (value, choices) =>
    pick(choices, headings) + xmlFormat.serialize(value, { kind: "resource", name: "order" }),
  tokens,
  brackets: [
    ["<order>", "</order>"],
    ["<a>", "</a>"],
    ["<a><b/>", "</a>"],
    ['<a xmlns="b">', "</a>"],
    ["<a ", "/>"],
    ["<![CDATA[", "]]>"],
    ["<!--", "-->"],
  ],
  // Without a schema, an array is read as another value.
  readsBack: false,
};
