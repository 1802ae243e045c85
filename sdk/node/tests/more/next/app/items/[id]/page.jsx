export const dynamic = "force-dynamic";
export default async function Page({ params }) {
  const { id } = await params;
  console.log("page of item", id);
  return <p>item {id}</p>;
}
