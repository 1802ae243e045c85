import type { Page } from "@playwright/test";

/** Buys a gift card: the order fails in the database, and the page says "Paying …" for ever. */
export async function buyGiftCard(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Add Gift card" }).click();
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Card number").fill("4242424242424242");
  await page.getByTestId("pay").click();
}
