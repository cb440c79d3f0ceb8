import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { api } from "./client.js";
import { useOutput } from "./use-output.js";

/** The operation is all that has to survive a reload: the service has everything else. */
const saved = localStorage.getItem("answer");

function Answers() {
  const [op, setOp] = useState(() => (saved === null ? undefined : api.answers.resume(JSON.parse(saved))));
  const { text, isOpen } = useOutput(op);
  const ask = async (form: FormData): Promise<void> => {
    const submitted = await api.answers.submit({ prompt: String(form.get("prompt")) });
    localStorage.setItem("answer", JSON.stringify(submitted));
    setOp(submitted);
  };
  return (
    <>
      <form action={ask}>
        <label>
          Prompt <input name="prompt" required defaultValue="Why is the sky blue?" />
        </label>
        <button type="submit">Ask</button>
        <button type="button" disabled={!isOpen} onClick={() => op?.cancel()}>
          Stop
        </button>
      </form>
      <article aria-busy={isOpen} style={{ whiteSpace: "pre-wrap" }}>
        {text}
      </article>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Answers />
  </StrictMode>,
);
