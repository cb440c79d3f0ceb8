/** Documents in the sizes of the goals: an order, an order with lines and an address, and a long list of those. */
export const documents = [
  { size: "54 B", text: '{"itemId":"0192f0c1-7b1a-7f4e-9d3b-2a1c","quantity":3}' },
  { size: "1.1 KB", text: JSON.stringify(detailedOrder(0)) },
  {
    size: "70 KB",
    text: JSON.stringify({ orders: Array.from({ length: 64 }, (_, index) => detailedOrder(index)) }),
  },
];

function detailedOrder(number) {
  return {
    orderNumber: `SO-2026-${String(number).padStart(8, "0")}`,
    customer: {
      id: 918_273 + number,
      name: "Zoë Müller-Østergård",
      email: "zoe@example.com",
      vip: number % 3 === 0,
    },
    address: {
      street: "12 Rue de l'Église",
      city: "Besançon",
      postalCode: "25000",
      country: "FR",
      floor: null,
    },
    note: 'Leave it "at the back door",\nplease. Ring twice; the dog is called \\o/.',
    lines: Array.from({ length: 7 }, (_, index) => ({
      itemId: `SKU-${1_000 + index}-BLUE`,
      quantity: index + 1,
      unitPrice: 19.99 + index,
      taxRate: 0.2,
      tags: ["fragile", "gift"],
      discounted: index % 2 === 0,
    })),
  };
}
