/** Rows like those of the table about YANG data in docs/formats.md: a schema, a value, JSON and XML. */
export const mappings: readonly (readonly [string, string, string, string])[] = [
  [
    '{"items":{"type":"integer"}}',
    '{"n":[1,2]}',
    '{"m:order":{"n":["1","2"]}}',
    '<order xmlns="urn:m"><n>1</n><n>2</n></order>',
  ],
  [
    '{"type":"integer","minimum":0,"maximum":255}',
    '{"n":2}',
    '{"m:order":{"n":2}}',
    '<order xmlns="urn:m"><n>2</n></order>',
  ],
  ['{"type":"string"}', '{"n":"2"}', '{"m:order":{"n":"2"}}', '<order xmlns="urn:m"><n>2</n></order>'],
  ['{"type":"boolean"}', '{"n":true}', '{"m:order":{"n":true}}', '<order xmlns="urn:m"><n>true</n></order>'],
  [
    '{"type":"integer","minimum":0,"maximum":4294967295}',
    '{"n":2}',
    '{"m:order":{"n":2}}',
    '<order xmlns="urn:m"><n>2</n></order>',
  ],
  [
    '{"type":"integer","minimum":-1,"maximum":4294967295}',
    '{"n":2}',
    '{"m:order":{"n":"2"}}',
    '<order xmlns="urn:m"><n>2</n></order>',
  ],
  [
    '{"type":"number"}',
    '{"n":-1.5e-7}',
    '{"m:order":{"n":"-0.00000015"}}',
    '<order xmlns="urn:m"><n>-0.00000015</n></order>',
  ],
  ['{"type":"object"}', '{"n":{}}', '{"m:order":{"n":{}}}', '<order xmlns="urn:m"><n/></order>'],
];

/** Bodies of orders in YANG data: a description, the body, and the status with the pointers of the reply. In XML, `xmlns` stands for the namespace of the module. */
export const orders: readonly (readonly [string, string, string])[] = [
  [
    "a 64-bit integer as a number (RFC 7951 §6.1)",
    '{"order-submission:order":{"itemId":"book","quantity":1}}',
    "400",
  ],
  [
    "a number that cannot be stored exactly",
    '{"order-submission:order":{"itemId":"book","quantity":"9007199254740993"}}',
    "400",
  ],
  [
    "an unnecessarily qualified name (RFC 7951 §4)",
    '{"order-submission:order":{"order-submission:itemId":"book","quantity":"1"}}',
    "400",
  ],
  ["a repeated name", '{"order-submission:order":{"itemId":"book","quantity":"1","quantity":"1"}}', "400"],
  ["an unqualified root", '{"order":{"itemId":"book","quantity":"1"}}', "422 `#`"],
  ["another module", '{"acme:order":{"itemId":"book","quantity":"1"}}', "422 `#`"],
  ["a second root", '{"order-submission:order":{"itemId":"book","quantity":"1"},"acme:x":1}', "422 `#`"],
  ["an order without a root", '{"itemId":"book","quantity":"1"}', "422 `#`"],
  ["an array instead of an object", "[]", "422 `#`"],
  ["a fraction", '{"order-submission:order":{"itemId":"book","quantity":"1.0"}}', "422 `#/quantity`"],
  [
    "a number instead of a string",
    '{"order-submission:order":{"itemId":1,"quantity":"1"}}',
    "422 `#/itemId`",
  ],
  [
    "`empty` in a member that cannot be null",
    '{"order-submission:order":{"itemId":[null],"quantity":"1"}}',
    "422 `#/itemId`",
  ],
  [
    "a node of another module",
    '{"order-submission:order":{"itemId":"book","quantity":"1","acme:gift":true}}',
    "422 `#/acme:gift`",
  ],
  ["a sign and leading zeros", '{"order-submission:order":{"itemId":"book","quantity":"+01"}}', "202"],
  ["no namespace", "<order><itemId>book</itemId><quantity>1</quantity></order>", "422 `#`"],
  [
    "another namespace",
    '<order xmlns="urn:acme"><itemId>book</itemId><quantity>1</quantity></order>',
    "422 `#`",
  ],
  [
    "a node of another namespace",
    '<order xmlns><itemId>book</itemId><quantity xmlns="urn:acme">1</quantity></order>',
    "400",
  ],
  ["an attribute", '<order xmlns><itemId>book</itemId><quantity unit="kg">1</quantity></order>', "400"],
  [
    "a repeated leaf",
    "<order xmlns><itemId>book</itemId><quantity>1</quantity><quantity>1</quantity></order>",
    "400",
  ],
  [
    "an unknown node",
    "<order xmlns><itemId>book</itemId><quantity>1</quantity><gift/></order>",
    "422 `#/gift`",
  ],
  ["a fraction", "<order xmlns><itemId>book</itemId><quantity>1.0</quantity></order>", "422 `#/quantity`"],
  ["a sign and leading zeros", "<order xmlns><itemId>book</itemId><quantity>+01</quantity></order>", "202"],
];
