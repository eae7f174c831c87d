using System;
using System.Collections.Generic;

namespace App.Core
{
    /// <summary>A thing.</summary>
    [Serializable]
    public sealed partial class Thing<T> : Base, IThing where T : class
    {
        private readonly string path = @"c:\{""x""}\";
        public string Name { get; set; } = "a";
        public int Count => items.Count;

        public int this[int i]
        {
            get { return items[i]; }
            set { items[i] = value; }
        }

        public Thing(int n) : base(n)
        {
        }

        [Obsolete("x")]
        public async Task<List<T>> LoadAsync<K>(K key, CancellationToken ct = default)
        {
            #region work
            var text = $"{key} }}";
            #endregion
            return null;
        }

        public static bool operator ==(Thing<T> a, Thing<T> b) => true;

        public override string ToString() => Name;

        public event EventHandler Changed;
        public delegate void Handler(object sender);
    }

    public enum Kind { A, B }

    public record Point(int X, int Y);

    public interface IThing
    {
        void Run();
    }
}
