# frozen_string_literal: true

require "json"
require_relative "thing"

# Keeps things.
module Store
  LIMIT = 10

  class Base < Struct.new(:a)
    include Comparable
    attr_reader :name

    def initialize(name, size: 0,
                   deep: false)
      @name = name
      text = <<~SQL
        end
        def fake
      SQL
      if size > 0
        puts "end"
      end
    end

    def self.build(*args) = new(*args)

    def empty?; @size == 0; end

    private def helper
      items.each do |i|
        i.run
      end
    rescue StandardError
      nil
    end
  end
end

RSpec.describe Store::Base do
  context "when empty" do
    it "does" do
      expect(1).to eq(1)
    end
  end
end
