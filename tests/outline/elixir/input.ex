defmodule Store.Thing do
  @moduledoc """
  A thing.

  def fake do
  """
  use GenServer
  alias Store.Other

  @limit 10

  @doc "Starts it."
  @spec start(map()) :: :ok
  def start(opts) do
    case opts do
      %{} -> :ok
    end
  end

  defp helper(x), do: x + 1
end
