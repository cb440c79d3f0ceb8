/** Rows like those of the first table about XML in docs/formats.md: a schema, JSON and XML. */
export const mappings: readonly (readonly [string, string, string])[] = [
  ['{"type":"object"}', '{"m":{"a":"1","b":"2"}}', "<order><m><a>1</a><b>2</b></m></order>"],
  [
    '{"type":"array","items":{"type":"array","items":{"type":"integer"}}}',
    '{"m":[[1,2],[],[3]]}',
    "<order><m><m>1</m><m>2</m></m><m/><m><m>3</m></m></order>",
  ],
  ['{"type":"array","items":{"type":"integer"}}', "[1,2]", "<order><order>1</order><order>2</order></order>"],
  [
    '{"type":"object"}',
    '{"a b":"1","2nd":"2","":"3"}',
    "<order><a_x0020_b>1</a_x0020_b><_x0032_nd>2</_x0032_nd><_x_>3</_x_></order>",
  ],
  ['{"type":"string"}', '{"m":"a b"}', "<order><m>a b</m></order>"],
  ['{"type":"string"}', '{"m":""}', "<order><m/></order>"],
  ['{"type":"string"}', '{"m":" "}', "<order><m> </m></order>"],
  ['{"type":"string"}', '{"m":"a\\rb"}', "<order><m>a&#13;b</m></order>"],
  ['{"type":"number"}', '{"m":-0.5}', "<order><m>-0.5</m></order>"],
  ['{"type":"number"}', '{"m":1e+21}', "<order><m>1e+21</m></order>"],
  ['{"type":"boolean"}', '{"m":true}', "<order><m>true</m></order>"],
  ['{"type":"object"}', '{"m":{}}', "<order><m/></order>"],
  ['{"type":"array","items":{"type":"string"}}', '{"m":[""]}', "<order><m/></order>"],
  ['{"required":["tags"],"properties":{"tags":{"type":"array"}}}', '{"tags":[]}', "<order/>"],
  ['{"type":"string"}', '"a"', "<order>a</order>"],
  [
    '{"type":"object"}',
    '{"_x0041_":"1","__proto__":"2"}',
    "<order><_x005F_x0041_>1</_x005F_x0041_><__proto__>2</__proto__></order>",
  ],
];

/** Rows like those of the second table: a schema, XML and JSON. */
export const readings: readonly (readonly [string, string, string])[] = [
  ['{"type":"integer"}', "<order><m>+2</m></order>", '{"m":"+2"}'],
  ['{"anyOf":[{"const":"all"},{"type":"integer"}]}', "<order><m>2</m></order>", '{"m":2}'],
  ['{"type":"integer"}', "<order><m/></order>", '{"m":""}'],
  ['{"type":"boolean"}', "<order><m>True</m></order>", '{"m":"True"}'],
  ['{"type":["array","string"]}', "<order><m>a</m></order>", '{"m":["a"]}'],
  ['{"type":"object"}', "<order><m> </m></order>", '{"m":{}}'],
  ['{"type":"integer"}', "<order><m>2.0</m></order>", '{"m":2}'],
  ['{"type":"integer"}', "<order><m>2.5</m></order>", '{"m":2.5}'],
  ['{"type":"integer"}', "<order><m> 2</m></order>", '{"m":" 2"}'],
  ['{"type":"integer"}', "<order><m>02</m></order>", '{"m":"02"}'],
  ['{"type":"integer"}', "<order><m>0x2</m></order>", '{"m":"0x2"}'],
  ['{"type":"integer"}', "<order><m>2,0</m></order>", '{"m":"2,0"}'],
  ['{"type":"integer"}', "<order><m><a>2</a></m></order>", '{"m":{"a":"2"}}'],
  ['{"type":"integer"}', "<order><m>true</m></order>", '{"m":"true"}'],
  ['{"type":"boolean"}', "<order><m>1</m></order>", '{"m":"1"}'],
  ['{"type":"null"}', "<order><m>null</m></order>", '{"m":"null"}'],
  ['{"type":"object"}', "<order><m>a</m></order>", '{"m":"a"}'],
  ['{"anyOf":[{"const":"all"},{"type":"integer"}]}', "<order><m>all</m></order>", '{"m":"all"}'],
  ['{"type":["object","string"]}', "<order><m/></order>", '{"m":""}'],
  ['{"type":"array","items":{"type":"integer"}}', "<order><a>1</a></order>", '{"a":"1"}'],
  ['{"type":["array","object"]}', "<order><order>a</order></order>", '{"order":"a"}'],
  ["{}", "<order><m>2</m></order>", '{"m":"2"}'],
  [
    '{"type":"string"}',
    '<order><m xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="1"/></order>',
    '{"m":null}',
  ],
  [
    '{"type":"string"}',
    '<order><m xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="false"/></order>',
    '{"m":""}',
  ],
  ['{"type":"string"}', "<order><_x006D_>a</_x006D_></order>", '{"m":"a"}'],
  ['{"properties":{"m":{"type":"array"}}}', "<order> </order>", "{}"],
];

/** Bodies of orders in XML: a description, the body, and the status with the pointers of the reply. */
export const orders: readonly (readonly [string, string, string])[] = [
  ["not well formed", "<order><itemId>book</order>", "400"],
  ["no element", " ", "400"],
  [
    "another XML version",
    '<?xml version="1.1"?><order><itemId>book</itemId><quantity>1</quantity></order>',
    "400",
  ],
  [
    "another encoding",
    '<?xml version="1.0" encoding="ISO-8859-1"?><order><itemId>book</itemId><quantity>1</quantity></order>',
    "400",
  ],
  [
    "a DOCTYPE, even without declarations",
    "<!DOCTYPE order><order><itemId>book</itemId><quantity>1</quantity></order>",
    "400",
  ],
  ["an undefined entity", "<order><itemId>&nbsp;</itemId><quantity>1</quantity></order>", "400"],
  [
    "a character that XML does not allow",
    "<order><itemId>&#0;</itemId><quantity>1</quantity></order>",
    "400",
  ],
  [
    "a repeated element",
    "<order><itemId>book</itemId><quantity>1</quantity><quantity>2</quantity></order>",
    "400",
  ],
  [
    "a repeated element, once escaped",
    "<order><itemId>book</itemId><quantity>1</quantity><_x0071_uantity>2</_x0071_uantity></order>",
    "400",
  ],
  ["text next to elements", "<order>new<itemId>book</itemId><quantity>1</quantity></order>", "400"],
  ["an attribute", '<order><itemId>book</itemId><quantity unit="kg">1</quantity></order>', "400"],
  ["`nil` outside of its namespace", '<order><itemId nil="true"/><quantity>1</quantity></order>', "400"],
  [
    "`nil` that is neither true nor false",
    '<order xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><itemId i:nil="yes"/><quantity>1</quantity></order>',
    "400",
  ],
  [
    "an element in a namespace",
    '<order><itemId xmlns="urn:x">book</itemId><quantity>1</quantity></order>',
    "400",
  ],
  [
    "an element with a prefix",
    '<order xmlns:x="urn:x"><x:itemId>book</x:itemId><quantity>1</quantity></order>',
    "400",
  ],
  ["a processing instruction", "<?go now?><order><itemId>book</itemId><quantity>1</quantity></order>", "400"],
  [
    "`nil` with content",
    '<order xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><itemId i:nil="true">book</itemId><quantity>1</quantity></order>',
    "400",
  ],
  [
    "`nil` with children",
    '<order xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><itemId i:nil="true"><a/></itemId><quantity>1</quantity></order>',
    "400",
  ],
  [
    "a lone surrogate in a name",
    "<order><itemId>book</itemId><quantity>1</quantity><_xD800_/></order>",
    "400",
  ],
  [
    "a number that cannot be stored exactly",
    "<order><itemId>book</itemId><quantity>9007199254740993</quantity></order>",
    "400",
  ],
  ["another root element", "<parcel><itemId>book</itemId><quantity>1</quantity></parcel>", "422 `#`"],
  [
    "a root element in a namespace",
    '<order xmlns="urn:x"><itemId>book</itemId><quantity>1</quantity></order>',
    "422 `#`",
  ],
  [
    "text instead of a number",
    "<order><itemId>book</itemId><quantity>two</quantity></order>",
    "422 `#/quantity`",
  ],
  [
    "white space around a number",
    "<order><itemId>book</itemId><quantity> 1 </quantity></order>",
    "422 `#/quantity`",
  ],
  ["an empty element", "<order><itemId/><quantity>1</quantity></order>", "422 `#/itemId`"],
  [
    "`nil` in a member that cannot be null",
    '<order xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><itemId i:nil="true"/><quantity>1</quantity></order>',
    "422 `#/itemId`",
  ],
  ["an unknown element", "<order><itemId>book</itemId><quantity>1</quantity><gift/></order>", "422 `#/gift`"],
  [
    "an unused namespace prefix",
    '<order xmlns:xsd="http://www.w3.org/2001/XMLSchema"><itemId>book</itemId><quantity>1</quantity></order>',
    "202",
  ],
];
